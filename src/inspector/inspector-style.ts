/** The look of the inspector. It takes nothing from the page, and gives it nothing. */
export const inspectorStyle = `
:host {
  all: initial;
  color-scheme: inherit;
  --paper: light-dark(#ffffff, #16191b);
  --raised: light-dark(#f3f4f6, #1f2427);
  --ink: light-dark(#1b2023, #e6eaec);
  --soft: light-dark(#535c62, #a2acb2);
  --line: light-dark(#d8dcdf, #343b40);
  --control: light-dark(#757f86, #7c878e);
  --accent: light-dark(#0b5c8a, #7cc7f0);
  --on-accent: light-dark(#ffffff, #06202f);
  --chosen: light-dark(#dcecf6, #1d3545);
  --danger: light-dark(#a3261a, #ff9d90);
  display: block;
  box-sizing: border-box;
  height: 32rem;
  container-type: inline-size;
  color: var(--ink);
  background: var(--paper);
  font: 13px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
}
:host([hidden]) { display: none; }
:host([docked]) {
  position: fixed;
  inset: auto 0 0;
  z-index: 2147483000;
  height: min(60vh, 40rem);
  border-top: 1px solid var(--control);
  box-shadow: 0 -6px 24px rgb(0 0 0 / 18%);
}
:host([docked="right"]) {
  inset: 0 0 0 auto;
  width: min(100vw, 46rem);
  height: auto;
  border-top: 0;
  border-left: 1px solid var(--control);
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
h2, h3, h4, p, ul, dl, dd, pre { margin: 0; }
h2, h3, h4, th { font-size: 1em; font-weight: 600; }
ul { padding: 0 0 0 1.2em; }
.root { display: flex; flex-direction: column; height: 100%; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding: 6px 8px; min-width: 0; }
.bar > .bar { padding: 0; }
.title { padding: 4px 8px; background: var(--raised); flex-wrap: nowrap; }
.title h2 { flex: 1; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.said { padding: 4px 8px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.said[data-error] { color: var(--danger); }
[role="tablist"] {
  display: flex; overflow-x: auto; flex: none;
  background: var(--raised); border-bottom: 1px solid var(--line); padding: 0 4px;
}
[role="tab"] { border: 0; border-bottom: 2px solid transparent; border-radius: 0; background: none; padding: 6px 9px; color: var(--soft); }
[role="tab"][aria-selected="true"] { color: var(--ink); border-bottom-color: var(--accent); }
[role="tabpanel"] { flex: 1; min-height: 0; }
.view { display: flex; flex-direction: column; height: 100%; min-height: 0; }
.scroll { flex: 1; min-height: 0; overflow: auto; padding: 0 8px 8px; }
.split { display: flex; flex: 1; min-height: 0; }
.split > .grid-frame { flex: 1; }
.aside { max-height: 35%; overflow: auto; padding: 0 8px; flex: none; }
section { padding: 6px 0; }
section > h3 { padding-bottom: 4px; }
.name { max-width: 100%; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.hint, .empty, .preview { color: var(--soft); }
.empty { padding: 12px 8px; }
.outcome { flex: 1; min-height: 1.45em; overflow-wrap: anywhere; }
button, input, select {
  font: inherit; color: inherit; background: var(--paper); min-height: 26px;
  border: 1px solid var(--control); border-radius: 4px; padding: 2px 8px; max-width: 100%;
}
input[type="checkbox"] { min-height: 0; width: 14px; height: 14px; padding: 0; accent-color: var(--accent); }
input[type="number"] { width: 8rem; margin-left: 6px; }
input[type="search"] { width: 10rem; }
input::placeholder { color: var(--soft); opacity: 1; }
label { display: inline-flex; align-items: center; gap: 4px; }
button { cursor: pointer; }
button:hover { background: var(--chosen); }
button[aria-pressed="true"] { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
section > button, section > select { margin: 0 6px 6px 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.grid-frame { container-type: inline-size; flex: 1; min-width: 0; min-height: 0; display: flex; flex-direction: column; }
.grid { flex: 1; min-height: 0; overflow: auto; border-top: 1px solid var(--line); overscroll-behavior: contain; }
.top { position: sticky; top: 0; z-index: 1; background: var(--raised); }
.canvas { position: relative; overflow: clip; }
.row { display: grid; grid-template-columns: var(--columns); height: 30px; width: 100%; border-bottom: 1px solid var(--line); }
.canvas > .row { position: absolute; inset: 0 0 auto; cursor: default; }
.head { color: var(--soft); }
.canvas > .row:hover { background: var(--raised); }
.canvas > .row[aria-selected="true"] { background: var(--chosen); }
.cell { padding: 5px 8px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
.detail { flex: 0 0 45%; min-width: 0; overflow: auto; border-left: 1px solid var(--line); border-top: 1px solid var(--line); padding-bottom: 8px; }
.detail h3 { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.detail-body, .detail > .long { padding: 0 8px; }
.figures { display: flex; flex-wrap: wrap; gap: 2px 16px; padding: 4px 0; }
.view > div > .figures { padding: 4px 8px; }
.figures div { display: flex; gap: 6px; min-width: 0; }
.figures dt { color: var(--soft); flex: none; }
.figures dd { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
pre {
  margin: 6px 0; padding: 6px 8px; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
  background: var(--raised); border-radius: 4px; font: inherit;
}
.code { font: 12px/1.45 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace; }
.card { border: 1px solid var(--line); border-radius: 6px; padding: 6px 8px; margin-bottom: 8px; }
.tree { list-style: none; padding: 0; }
.tree li {
  display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 8px; cursor: default;
  margin-left: calc((var(--level) - 1) * 18px); padding: 5px 8px; border-left: 2px solid var(--line); border-bottom: 1px solid var(--line);
}
.tree li:hover { background: var(--raised); }
.tree li[aria-selected="true"] { background: var(--chosen); border-left-color: var(--accent); }
.tree .preview { flex: 1 1 10rem; min-width: 0; overflow: hidden; text-overflow: ellipsis; }
.tree li[aria-selected="true"] :is(.hint, .preview) { color: var(--ink); }
.mark { color: var(--on-accent); background: var(--accent); border-radius: 3px; padding: 0 5px; }
table { border-collapse: collapse; width: 100%; max-width: 44rem; }
th, td { text-align: start; padding: 3px 8px 3px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
tbody th { font-weight: 400; }
td { font-variant-numeric: tabular-nums; }
.tokens { display: flex; flex: none; gap: 1px; height: 24px; margin: 0 8px; border-radius: 4px; overflow: hidden; background: var(--line); }
.share { flex: var(--share) 0 0; min-width: 3px; overflow: hidden; white-space: nowrap; color: var(--on-accent); background: var(--accent); }
.share span { padding: 0 6px; line-height: 24px; }
.share[data-kind="free"] { background: var(--raised); color: var(--ink); }
.share[data-kind="summary"] { background: light-dark(#5a3fa6, #bba8f7); }
.share[data-kind="memo"] { background: light-dark(#8a4a06, #efb266); }
.share[data-kind="tools"] { background: light-dark(#21623c, #86d3a4); }
.chart { display: flex; flex: none; align-items: flex-end; gap: 2px; height: 44px; padding: 0 8px 4px; }
.chart-bar { flex: 0 1 12px; min-width: 2px; height: var(--height); background: var(--accent); border-radius: 2px 2px 0 0; }
@container (max-width: 720px) {
  .wide { display: none; }
  .row { grid-template-columns: var(--narrow); }
}
@container (max-width: 640px) {
  .split { flex-direction: column; }
  .detail { flex-basis: 60%; border-left: 0; }
  button, input, select { min-height: 30px; }
}
@media (forced-colors: active) {
  .canvas > .row[aria-selected="true"], .tree li[aria-selected="true"] { outline: 1px solid; }
}
`
