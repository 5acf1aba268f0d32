// The connection over which the page drives; it lasts as long as somebody drives.

const ON_PURPOSE = 1000;

export class DriveSocket {
  // `on.kind(kind)`: what is driven, "plant" or "joy"; `on.answer(reason)`: empty while commands count;
  // `on.end(reason)`: the connection has ended, and not by `close`.
  constructor(vehicle, on) {
    this.kind = null;
    this.on = on;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/api/drive?vehicle=${vehicle}`);
    this.socket.addEventListener("message", (event) => this.take(JSON.parse(event.data)));
    this.socket.addEventListener("close", (event) => this.on?.end(event.reason));
  }

  take(message) {
    if (!this.on) return;
    if (message.drives) {
      this.kind = message.drives;
      this.on.kind(this.kind);
    } else {
      this.on.answer(message.error || message.reason || "");
    }
  }

  // A command is left out while earlier ones wait: the newest counts.
  send(content) {
    if (this.kind && this.socket.readyState === WebSocket.OPEN && this.socket.bufferedAmount === 0) {
      this.socket.send(JSON.stringify(content));
    }
  }

  close() {
    this.on = null;
    this.socket.close(ON_PURPOSE);
  }
}
