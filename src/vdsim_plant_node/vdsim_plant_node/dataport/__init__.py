"""The JSON data port and the dashboard: a window onto a plant server, over HTTP.

    server thread  <-- call -----  window  <--  app (HTTP), stream (SSE), fanout (UDP)
                   --- ticks --->  read whole, from the thread of the data port

Cores: schema, admission, rates, address, targets, views, metrics. Shells: window, app, stream,
fanout, service. aiohttp is imported by the shells alone, and they only when the port is opened.
"""
