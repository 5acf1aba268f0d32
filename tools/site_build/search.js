// The site's search: BM25 over sections, with synonyms. The index is made by search_index.py.
"use strict";

const STOP = new Set((
  "a an and are as at be been but by can could do does for from had has have how i if in into is "
  + "it its may me my no not of on one or our out so some than that the their them then there "
  + "these they this to up us was we were what when where which who why will with would you your "
  + "get got want need should must use using im dont cant about any just like").split(" "));
const K1 = 1.4;
const B = 0.6;
const SYNONYM_WEIGHT = 0.6;
const LEAST_BEGIN = 5;
const PAGES_SHOWN = 12;

function stem(word) {
  if (word.length > 4 && word.endsWith("ies")) return word.slice(0, -3) + "y";
  for (const ending of ["ings", "ing", "ers", "er", "ed", "es", "s"]) {
    if (word.length - ending.length >= 3 && word.endsWith(ending) && !word.endsWith("ss")) {
      const rest = word.slice(0, -ending.length);
      const last = rest[rest.length - 1];
      const doubled = rest.length > 3 && last === rest[rest.length - 2] && !"lsz".includes(last);
      if (doubled) return rest.slice(0, -1);
      return rest.length > 3 ? rest.replace(/e+$/, "") : rest;
    }
  }
  return word.length > 3 ? word.replace(/e+$/, "") : word;
}

function words(text) {
  return (text.toLowerCase().match(/[a-z0-9]+/g) || []).filter((w) => !STOP.has(w)).map(stem);
}

// The bus is no verb: CAN in capitals, or alone.
function asked_for(query) {
  return words(query.replace(/\bCAN\b/g, "canbus").replace(/^\s*can\s*$/i, "canbus"));
}

// The words of a query with their weights: 1, or less for what a synonym adds. A word that no page
// has is read as those that begin like it: certified, certification.
function weighted(query, synonyms, found) {
  const weights = new Map();
  const asked = asked_for(query);
  for (const word of asked) weights.set(word, 1);
  for (const word of asked) {
    for (const other of synonyms[word] || []) {
      if (!weights.has(other)) weights.set(other, SYNONYM_WEIGHT);
    }
    if (found[word] || synonyms[word] || word.length < LEAST_BEGIN) continue;
    const begin = word.slice(0, Math.max(LEAST_BEGIN, word.length - 3));
    for (const other of Object.keys(found)) {
      if (other.startsWith(begin) && !weights.has(other)) weights.set(other, SYNONYM_WEIGHT);
    }
  }
  return weights;
}

// Pages by how well their best section answers, each with its best sections.
function search(index, synonyms, query) {
  const count = index.sections.length;
  const mean = index.sections.reduce((sum, section) => sum + section[4], 0) / count;
  const scores = new Float64Array(count);
  for (const [word, weight] of weighted(query, synonyms, index.found)) {
    const places = index.found[word];
    if (!places) continue;
    const sections = places.length / 2;
    const rarity = Math.log(1 + (count - sections + 0.5) / (sections + 0.5));
    for (let at = 0; at < places.length; at += 2) {
      const length = index.sections[places[at]][4] / mean;
      const often = places[at + 1];
      scores[places[at]] += weight * rarity * often * (K1 + 1) / (often + K1 * (1 - B + B * length));
    }
  }
  const pages = new Map();
  scores.forEach((unweighted, number) => {
    const score = unweighted * index.sections[number][6];
    if (score <= 0) return;
    const [page, title] = index.sections[number];
    if (!pages.has(page)) pages.set(page, { page, title, hits: [] });
    pages.get(page).hits.push({ score, number });
  });
  const found = [...pages.values()];
  for (const each of found) {
    each.hits.sort((a, b) => b.score - a.score);
    // The best section decides; what else the page has on it breaks ties.
    each.score = each.hits.slice(0, 3).reduce((sum, hit, at) => sum + hit.score / 4 ** at, 0);
  }
  return found.sort((a, b) => b.score - a.score);
}

function show(index, found, place) {
  place.replaceChildren();
  if (!found.length) {
    place.textContent = "No page has these words.";
    return;
  }
  for (const { page, title, hits } of found.slice(0, PAGES_SHOWN)) {
    const item = document.createElement("li");
    for (const { number } of hits.slice(0, 2)) {
      const [, , anchor, heading, , text] = index.sections[number];
      const link = document.createElement("a");
      link.href = `${page}.html#${anchor}`;
      link.textContent = heading === title ? title : `${title}: ${heading}`;
      const excerpt = document.createElement("p");
      excerpt.textContent = text;
      item.append(link, excerpt);
    }
    place.append(item);
  }
}

if (typeof document !== "undefined") {
  document.addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("vdsim-found");
    if (!place) return;
    const query = new URLSearchParams(window.location.search).get("q") || "";
    const field = document.getElementById("vdsim-query");
    field.value = query;
    if (query) show(window.VDSIM_INDEX, search(window.VDSIM_INDEX, window.VDSIM_WORDS, query), place);
  });
}
