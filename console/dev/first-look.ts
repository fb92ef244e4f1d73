import type { Plugin } from 'vite'
import { semanticTokens } from '../src/core/semantic-tokens.ts'
import { globalStyles } from './global-styles.tsx'

const { bg, border } = semanticTokens.colors

/**
 * Draws the top bar's outline into the page itself, in the system's theme: a slow line shows it while the scripts are
 * on their way, and React puts the real one in its place. Grey blocks stand for mark and name, which are the operator's.
 */
export const firstLook = (): Plugin => ({
  name: 'tollgate-first-look',
  transformIndexHtml: (html) =>
    html
      .replace('</head>', () => `  ${globalStyles()}<style>${STYLE}</style>\n  </head>`)
      .replace('<div id="root">', `<div id="root">${BAR}`),
})

const BAR =
  '<svg class="first-look" aria-hidden="true"><rect y="13" width="22" height="22" rx="5" /><rect x="30" y="18" width="72" height="12" rx="4" /></svg>'

/** `:where` lets the console's own styles win; the class is put on by `early.ts`. */
const STYLE = [
  looks('light'),
  `@media (prefers-color-scheme: dark) {${looks('dark')}}`,
  looks('light', '.light'),
  looks('dark', '.dark'),
  '.first-look {display:block;box-sizing:border-box;width:100%;height:48px;padding:0 16px;border-bottom:1px solid;color:var(--first-line);background:var(--first-bar);fill:var(--first-block)}',
  // As shell/demo-banner.tsx draws it.
  '.first-banner {padding:6px 16px;border-bottom:1px solid var(--tg-colors-border);background:var(--tg-colors-bg-warning);color:var(--tg-colors-fg-warning);font-weight:500;text-align:center}',
  // As features/home/home.tsx draws them.
  '.first-words {max-width:1080px;margin:0 auto;padding:64px 16px}',
  '.first-words p:first-child {max-width:20ch;font-size:2.25rem;font-weight:650;line-height:1.15;letter-spacing:-.025em}',
  '.first-words p + p {max-width:62ch;margin-top:12px;font-size:1rem;line-height:1.45;color:var(--tg-colors-fg-muted)}',
  // Below the buttons, in its card.
  '.first-words pre {width:calc((100% - 16px) * .6 - 44px);margin:211.3px 22px 0;padding:12px;overflow-x:auto;outline:1px solid var(--tg-colors-border);background:var(--tg-colors-bg-subtle);font-family:var(--tg-fonts-mono);font-size:.75rem;line-height:1.6}',
  '@media (max-width: 767px) {.first-words pre {width:auto}}',
  '@media (max-width: 479px) {.first-words pre {white-space:pre-wrap;overflow-wrap:anywhere}}',
  '@media (max-width: 767px) {.first-look {padding:0 8px}.first-words {padding:32px 16px}.first-words p:first-child {font-size:1.875rem}}',
].join('\n')

function looks(theme: 'light' | 'dark', of = ''): string {
  const pick = ({ value }: { value: { _light: string; _dark: string } }) => value[`_${theme}`]
  return `:where(html${of}) {background:${pick(bg.DEFAULT)};--first-bar:${pick(bg.panel)};--first-line:${pick(border.DEFAULT)};--first-block:${pick(bg.muted)}}`
}
