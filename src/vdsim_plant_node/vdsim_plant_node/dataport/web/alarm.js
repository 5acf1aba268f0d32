// What deserves attention about a vehicle, the worst thing first. Pure.

export const STALL_MS = 1500;
export const LET_GO_MS = 5000; // nobody drives by a picture that old
const LOSS_WARN = 0.02;
const STANDING_MPS = 0.1;

// `silentMs`: since the last message of the server; `recent`: what the link did in the last seconds.
export function attention({ silentMs, state, policy, recent, recording }) {
  if (silentMs > STALL_MS) return { level: "alarm", title: "No connection to the plant", text: `No data for ${seconds(silentMs / 1000)}. The values shown are stale.` };
  if (!state) return null;
  if (state.lost && state.running) return { level: "alarm", title: "Commands have stopped", text: policyText(policy) };
  if (recording && recording.failure) return { level: "alarm", title: "The recording has ended", text: `${recording.failure}. The run goes on.` };
  if (!state.running) return { level: "note", title: "Paused", text: "Simulation time is stopped; commands are still received." };
  if (state.charge <= 0) return { level: "alarm", title: "Battery or tank is empty", text: "Reset refills it." };
  if (state.driver === "waiting") return { level: "note", title: "Waiting for the first command", text: policyText(policy) };
  if (state.driver === "failsafe") return letGo(state, policy);
  if (recent && recent.rejected > 0) return { level: "warn", title: "Datagrams are being dropped", text: recent.reasons };
  if (recent && recent.loss > LOSS_WARN) return { level: "warn", title: "Commands are being lost", text: `${(recent.loss * 100).toFixed(1)} % in the last seconds.` };
  return null;
}

// Nobody drives, on purpose or at rest: a car that stands needs nobody.
function letGo(state, policy) {
  if (Math.hypot(state.vx, state.vy) > STANDING_MPS) return { level: "warn", title: "Nobody drives", text: policyText(policy) };
  return { level: "note", title: "Parked", text: policyText(policy) };
}

// The first of the other vehicles that somebody has to look after.
export function attentionElsewhere(fleet, shown) {
  const found = fleet.find((each) => each.lost && each.vehicle !== shown);
  return found ? { level: "alarm", title: `Vehicle ${found.vehicle}: commands have stopped`, text: "It is not the one on display." } : null;
}

function policyText(policy) {
  const what = (policy || "").split(": ").slice(1).join(": ");
  return what ? `The vehicle holds ${what}.` : "";
}

function seconds(value) {
  return value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
}
