"""The look of the page: one style sheet, light and dark, from a telephone to a wide screen."""

from typing import Final

STYLE: Final = """
:root { --edge: #8886; --paper: #fff; --soft: #f3f5f8; }
.body--dark { --paper: #1d1f23; --soft: #26292f; }
body { background: var(--paper); }
.nicegui-content { padding: 0; display: block; }
.page { max-width: 1500px; margin: 0 auto; padding: 12px 20px 40px; display: grid; gap: 14px; }
.page > *, .panel > *, .card > *, .column > * { min-width: 0; max-width: 100%; }
.page .q-field__native > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.page .q-field__native { min-width: 0; flex-wrap: nowrap; }
.card > .q-btn-toggle { justify-self: start; }
.page h1 { font-size: 1.25rem; line-height: 1.4; margin: 0; font-weight: 600; letter-spacing: 0; }
.page h2 { font-size: 1rem; line-height: 1.4; margin: 0; font-weight: 600; letter-spacing: 0; }
.page h3 { font-size: .9rem; line-height: 1.4; margin: 0 0 4px; font-weight: 600; letter-spacing: 0; }
.chooser { display: flex; flex-wrap: wrap; gap: 10px 16px; align-items: end; }
.chooser > .q-field { flex: 1 1 240px; min-width: 0; }
.hidden { display: none; }
.trouble { border-left: 4px solid #D55E00; background: var(--soft); padding: 8px 12px; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.trouble:empty, .said:empty { display: none; }
.panel { display: grid; grid-template-columns: minmax(280px, 360px) 1fr; gap: 14px 24px; align-items: start; }
.column { display: grid; gap: 14px; min-width: 0; }
.card { border: 1px solid var(--edge); border-radius: 8px; padding: 10px 14px 14px; display: grid; gap: 8px;
  min-width: 0; }
.agent { display: grid; grid-template-columns: 62px 1fr 92px; gap: 4px 10px; align-items: center; }
.agent h2 { grid-column: 1 / 3; grid-row: 1; overflow-wrap: anywhere; }
.agent > .dot { grid-column: 3; grid-row: 1; justify-self: end; }
.agent .wish { display: grid; grid-template-columns: 1fr auto; gap: 8px; align-items: center; }
.buttons { grid-column: 1 / -1; }
.agent input[type=range] { width: 100%; accent-color: #0072B2; }
.dot { display: inline-block; width: 12px; height: 12px; border-radius: 3px; flex: none; }
.wish { display: grid; grid-template-columns: 1fr auto; gap: 8px; align-items: center; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.plot { display: grid; grid-template-columns: auto 1fr; }
.plot svg { display: block; overflow: visible; font-size: 12px; fill: currentColor; }
.plot svg svg { overflow: hidden; }
.plot .body { width: 100%; }
.plot text.left { text-anchor: end; dominant-baseline: middle; }
.plot text.tick { text-anchor: middle; opacity: .8; }
.plot text.across { text-anchor: end; opacity: .8; }
.plot text.inside { text-anchor: middle; dominant-baseline: central; fill: #000; stroke: #fff; stroke-width: 3px;
  paint-order: stroke; font-size: 11px; }
.plot text.sign { text-anchor: middle; dominant-baseline: central; font-size: 22px; stroke: currentColor;
  stroke-width: .7px; }
.plot .rule { stroke: var(--edge); stroke-width: .6px; }
.plot .axis, .plot .tick { stroke: currentColor; stroke-width: .7px; }
.plot text.tick { stroke: none; }
.plot .zero { stroke: currentColor; stroke-width: 1px; }
.plot .until { stroke: currentColor; stroke-dasharray: 4 4; }
.plot .bar { stroke: #000; stroke-width: .6px; }
.plot .framed { stroke: currentColor; stroke-width: 2.4px; }
.plot .pale { opacity: .35; }
.plot .line { stroke-width: 2.2px; fill: none; }
.plot .mark circle { stroke-width: 2px; }
.plot .mark .target { fill: transparent; stroke: none; cursor: pointer; }
.plot .mark.chosen circle:first-of-type { stroke: currentColor !important; stroke-width: 2.5px; }
.plot .mark:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
.up { font-size: 12px; opacity: .8; margin-bottom: 8px; }
.key { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 12px; }
.key i { display: inline-block; width: 11px; height: 11px; margin-right: 5px; border-radius: 2px; }
.board { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 10px; margin-bottom: 8px; }
.host { border: 1.5px dashed var(--edge); border-radius: 8px; padding: 8px; min-height: 76px; }
.host.over { background: var(--soft); border-color: currentColor; }
.job { display: inline-block; border: 1px solid var(--edge); border-left-width: 9px; border-radius: 6px;
  padding: 3px 8px; margin: 2px; cursor: grab; background: var(--soft); }
.job:focus-visible, .job.picked { outline: 3px solid currentColor; outline-offset: 1px; }
.file textarea { font-family: ui-monospace, monospace; font-size: 12.5px; line-height: 1.45; }
.command { font-family: ui-monospace, monospace; font-size: 12.5px; background: var(--soft); padding: 8px 10px;
  border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.tables { overflow-x: auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 430px), 1fr)); gap: 14px; }
.pair > * { min-width: 0; }
@media (max-width: 860px) { .panel { grid-template-columns: minmax(0, 1fr); } .page { padding: 8px 10px 30px; } }
@media (max-width: 480px) { .card { padding: 8px 10px 10px; } }
"""
