/** Begun with, in a file and a task of its own: a slow phone needs 0.1 s to take in what every screen needs. */
const REACT = /node_modules\/(react|react-dom|scheduler)\//

/** The other packages that every screen needs, in one file. */
const FIRST_PACKAGES = new RegExp(
  `console/src/libraries.ts$|node_modules/(${[
    'i18next/',
    'react-i18next/',
    'use-sync-external-store/(?!with-selector|cjs/use-sync-external-store-with-selector)',
    '@tanstack/(history|react-store|router-core|store)/(?!dist/shallow)',
    '@tanstack/(query-core|react-query)/(?!.*[iI]nfinite(QueryObserver|QueryOptions|Query\\.))',
    '@tanstack/react-router/(?!dist/esm/useBlocker)',
    'lucide-react/dist/esm/(createLucideIcon|Icon|defaultAttributes|shared)',
  ].join('|')})`,
)

/** Those that make the look, taken in as a task of their own, too. */
const STYLES = new RegExp(
  `console/src/(styles|core/style-insertion).ts$|node_modules/(${[
    'stylis/',
    '@emotion/',
    '@pandacss/',
    '@chakra-ui/react/dist/esm/(styled-system(?!/use-token)|theme/tokens|utils)/',
    '@chakra-ui/react/dist/esm/theme/recipes/(badge|button|field|heading|icon|input|skeleton|spinner)\\.',
    '@chakra-ui/react/dist/esm/components/(badge|box|field|flex|heading|input|loader|skeleton|stack|text)/',
    '@chakra-ui/react/dist/esm/components/button/(button|icon-button)\\.',
  ].join('|')})`,
)

/** Modules of the frame and the first pages, without those that are loaded on demand. */
const FRAME =
  /console\/src\/(core\/(?!options)|shell\/(?!account-menu-popup|footer|manual-copy-dialog|navigation|new-year|side-bar-content)|parts\/(clipboard|copy|fields|form\/form|notify|on-demand|page|popup-portal|quota|quota-format|search-params|states)\.tsx?$)|lucide-react\/dist\/esm\/icons\/(check|contrast|copy|languages|menu|rotate-cw)\./

/** Modules that only the pages for signing in and up need. */
const ENTRY =
  /console\/src\/(parts\/(auth-card|password-field|use-human-check)|features\/sign-in\/(offered-providers|use-enter))\.tsx?$/

/** The side bar's entries with their icons, which the drawer of phones has, too. */
const NAVIGATION = /console\/src\/shell\/navigation(-list)?\.tsx?$/

/** The small things of home and most other pages: each alone would be a request of its own, longer than its code. */
const BASICS = new RegExp(
  [
    'console/src/parts/(copy-button|facts|figure-style|id|markdown/(code-block|lazy-markdown)|operator-content|time)\\.tsx?$',
    'console/src/features/first-steps/first-steps-place\\.tsx$',
    '@chakra-ui/react/dist/esm/components/(grid|icons|button/close-button)\\b',
  ].join('|'),
)

/** The small things that most other pages show. */
const PIECES = new RegExp(
  [
    'console/src/parts/(card|choice-button|count|duration|exact-money|export-button|filtering|freshness|lateness|late/link|ledger-account|ledger-links|money|opens|save-file|statement-link|tag|use-duration|use-latest)\\.tsx?$',
    'console/src/parts/(list/filter-chip|range/range-picker)\\.tsx?$',
    '@chakra-ui/react/dist/esm/components/(image|link)\\b',
    'lucide-react/dist/esm/icons/',
  ].join('|'),
)

/** Lists that are fetched page by page as one scrolls. */
const ENDLESS = /@tanstack\/(query-core|react-query)\/.*infinite/i

/** Modules that every list needs. */
const LIST =
  /console\/src\/parts\/(list\/(filter-bar|list-page|saved-views)|table\/(column-settings|column-widths|data-table|pager|row-cards|row-menu|table-features|table-head|table-row|use-pages))\.tsx?$/

/** Charts as they are first seen; the library for those who point at one comes on demand. */
const CHARTS =
  /console\/src\/parts\/charts\/(axis|bars|chart|chart-marks|chart-stacked-bars|chart-swatch|use-width)\.tsx?$/

/** Lists and boxes to choose from, which stand in tool bars as well as in forms. */
const CHOICES = /console\/src\/parts\/(choice-fields|search-box)\.tsx$/

/** Modules that most forms need. */
const FORMS =
  /console\/src\/parts\/(form\/(form-values|form-view|time-field|use-form)|combobox\/|amount|late\/textarea|moment-input|presets|text-area-field)/

/** Packages that every dialog, menu and popover needs. */
const LAYERS =
  /node_modules\/@zag-js\/(core|dismissable|dom-query|interact-outside|presence|react|types|utils)\/|@ark-ui\/react\/dist\/(components\/presence|providers|utils)\//

/** Questions to the visitor, without what dialogs are made of. */
const QUESTIONS =
  /console\/src\/parts\/(busy-button|confirm-dialog|dialog-frame|focus-back|form\/leave-guard|notice-dialog)\.tsx?$/

/** Parts that open over a page. */
const DIALOGS =
  /console\/src\/parts\/(dialog-shell|form\/drawer-form|late\/(dialog|drawer)|side-panel)\.tsx?$/

/** Modules that `src/early.ts` runs before the others have loaded: theme, texts and fonts. */
const TEXTS =
  /vite\/preload-helper|console\/src\/core\/(fetch-texts|find-fonts|first-call|first-words|language|last-status|theme-class)\.ts$/

/** Files that every page loads. */
export const FIRST_FILES = /\/(base|frame|react|rolldown-runtime|styles|texts)-[^/]*$/

/**
 * The files that modules are put together into: what is needed at the same time, in one file, which compresses better
 * than twenty small ones and is one request. An earlier group takes a module, and what only it imports, from a later one.
 */
export const CHUNKS = [
  { name: 'react', test: REACT },
  { name: 'base', test: FIRST_PACKAGES },
  { name: 'styles', test: STYLES },
  { name: 'frame', test: FRAME },
  { name: 'entry', test: ENTRY },
  { name: 'navigation', test: NAVIGATION },
  { name: 'basics', test: BASICS },
  { name: 'pieces', test: PIECES, minShareCount: 2 },
  { name: 'charts', test: CHARTS },
  { name: 'choices', test: CHOICES },
  { name: 'forms', test: FORMS },
  { name: 'questions', test: QUESTIONS },
  { name: 'layers', test: LAYERS },
  { name: 'dialogs', test: DIALOGS },
  { name: 'endless', test: ENDLESS },
  { name: 'list', test: LIST },
  { name: 'texts', test: TEXTS, priority: 1 },
]
