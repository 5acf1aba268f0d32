"""The MCAP file: chunks of journal segments, summary and footer."""
