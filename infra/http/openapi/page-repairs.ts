/**
 * Repairs of what axe finds in Swagger UI, whose own parts are not changed: parts outside every landmark, a choice
 * without a name, headings that skip a level, and links inside of buttons.
 */
export const REPAIR_ROLES = `
function label(selector, text, attributes = {}) {
  for (const element of document.querySelectorAll(selector))
    for (const [key, value] of Object.entries({ 'aria-label': text, ...attributes }))
      element.setAttribute(key, value)
}
function setLevel(selector, level) {
  for (const heading of document.querySelectorAll(selector)) heading.setAttribute('aria-level', level)
}
function repair() {
  label('.information-container', 'About', { role: 'region' })
  label('.schemes-server-container', 'Server', { role: 'region' })
  label('.filter-container', 'Filter', { role: 'region' })
  label('#servers', 'Server')
  setLevel('.opblock-tag', '2')
  setLevel('.swagger-ui h4', '3')
  for (const link of document.querySelectorAll('.opblock-summary-control a')) link.removeAttribute('href')
}
new MutationObserver(repair).observe(document.documentElement, { childList: true, subtree: true })
repair()
`

/** Colours with a contrast of 4.5 in the light theme; those of the dark one have it. */
export const READABLE_COLOURS = `
html:not(.dark-mode) .swagger-ui {
  .info .title small { background: #5c6370; }
  .info .title small.version-stamp { background: #456300; }
  .info :is(a, .url) { color: #1f5fa8; }
  .btn.authorize { color: #1b7a4f; }
  .json-schema-2020-12-expand-deep-button { color: #4a4a4a; }
  .opblock.opblock-get .opblock-summary-method { background: #1a66b0; }
  .opblock.opblock-post .opblock-summary-method { background: #1b7a4f; }
  .opblock.opblock-put .opblock-summary-method { background: #9a5700; }
  .opblock.opblock-delete .opblock-summary-method { background: #c42020; }
}
`
