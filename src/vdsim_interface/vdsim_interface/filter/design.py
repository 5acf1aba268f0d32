"""Filter design: a channel's parameters -> second-order sections of scipy.signal."""

from vdsim_interface.filter.parameters import ChannelParameters
from vdsim_interface.filter.sections import Section


def design(channel: ChannelParameters, period_s: float) -> tuple[Section, ...]:
    """Return the digital filter (bilinear transform, pre-warped) for one channel; () is off."""
    if channel.type == "off":
        return ()
    nyquist_hz = 0.5 / period_s
    if channel.cutoff_frequency_hz >= nyquist_hz:
        channel.refuse(
            "cutoff_frequency_hz", f"must be < {nyquist_hz:g}, half the rate of the pipeline"
        )
    # Imported here: it takes longer than the rest of the interface, and most runs filter nothing.
    from scipy import signal

    options = {"fs": 1.0 / period_s, "output": "sos"}
    if channel.type == "chebyshev":
        rows = signal.cheby1(
            channel.order, channel.ripple_db, channel.cutoff_frequency_hz, **options
        )
        # An even order has its ripple below 1 at zero frequency; a command must pass unchanged.
        gain = 1.0
        for b0, b1, b2, _, a1, a2 in rows:
            gain *= (b0 + b1 + b2) / (1.0 + a1 + a2)
        rows[0, :3] /= gain
    else:
        order = 1 if channel.type == "first_order" else channel.order
        rows = signal.butter(order, channel.cutoff_frequency_hz, **options)
    return tuple(
        Section(b0=float(b0), b1=float(b1), b2=float(b2), a1=float(a1), a2=float(a2))
        for b0, b1, b2, _, a1, a2 in rows
    )
