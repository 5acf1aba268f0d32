// All vehicles at a glance: who drives, how fast, what is wrong; a click puts one on display.

import { fixed } from "./format.js";

const DRIVERS = { udp: "CMD", io: "page or HTTP", failsafe: "nobody", waiting: "waits" };

export class FleetTable {
  constructor(card, choose) {
    this.card = card;
    this.body = card.querySelector("tbody");
    this.choose = choose;
    this.rows = new Map();
    this.vehicles = [];
  }

  // `names`: of the vehicles; one alone needs no table.
  describe(vehicles) {
    this.card.hidden = vehicles.length < 2;
    this.vehicles = [];
    this.rows.clear();
    this.body.replaceChildren(...(this.card.hidden ? [] : vehicles.map((each) => this.row(each))));
  }

  row({ vehicle, name }) {
    const row = document.createElement("tr");
    const heading = document.createElement("th");
    heading.scope = "row";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${vehicle} ${name}`;
    button.addEventListener("click", () => this.choose(vehicle));
    heading.append(button);
    const cells = ["by", "num", "state"].map((kind) => {
      const cell = document.createElement("td");
      cell.className = kind;
      return cell;
    });
    row.append(heading, ...cells);
    this.rows.set(vehicle, { row, button, cells });
    return row;
  }

  show(vehicles, shown) {
    this.vehicles = vehicles;
    for (const each of vehicles) {
      const found = this.rows.get(each.vehicle);
      if (!found) continue;
      const state = each.lost ? "commands stopped" : each.driver === "failsafe" ? "let go" : "";
      const texts = [DRIVERS[each.driver], `${fixed(each.vx * 3.6, 1)} km/h`, state];
      found.cells.forEach((cell, i) => { if (cell.textContent !== texts[i]) cell.textContent = texts[i]; });
      found.row.dataset.level = each.lost ? "alarm" : "good";
      found.row.dataset.driver = each.driver;
      found.button.setAttribute("aria-pressed", String(each.vehicle === shown));
    }
  }
}
