"""The JSON data port and the dashboard: a view of a plant server, over HTTP.

    server thread  <-- call -----  server_access  <--  app (HTTP), stream (SSE), fanout (UDP)
                   --- ticks --->  read whole, from the thread of the data port

Cores: schema, admission, rates, targets, json_views, metrics. Shells: server_access, app, stream,
fanout, service. aiohttp is imported by the shells alone, and they only when the port is opened.
"""
