// Talks to the data port: requests, and the stream with its reconnections.

export async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

// An error has the text of the server, and the name of the field that is wrong.
export async function post(path, content) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(content),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error || String(response.status)), { field: answer.field });
  return answer;
}

// One stream at a time; `on.state`, `on.link`, `on.fleet`, `on.interface` and `on.path` get what arrives, of the vehicle asked for last.
export class Stream {
  constructor(on, rate = 30) {
    this.on = on;
    this.rate = rate;
    this.source = null;
    this.retry = 0;
  }

  open(vehicle) {
    this.source?.close();
    clearTimeout(this.retry);
    const query = `vehicle=${vehicle}&rate=${this.rate}&events=named`;
    const source = new EventSource(`/api/stream?${query}`);
    this.source = source;
    for (const kind of ["state", "link", "fleet", "interface", "path"]) {
      source.addEventListener(kind, (event) => this.on[kind](JSON.parse(event.data)));
    }
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED && source === this.source) {
        this.retry = setTimeout(() => this.open(vehicle), 1000); // refused, not merely cut off
      }
    });
  }
}
