/**
 * The design tokens in use, by the names of Chakra's: every browser builds the whole table when it starts, so that each
 * token costs every visitor; Chakra's 670 took a third of the time until the first picture. `system.test.ts` finds
 * what is used without being here.
 */

/** Distances and sizes in quarters of a rem: `4` is 1rem. */
const STEPS = [
  0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 11, 12, 16, 20, 40, 44, 60,
] as const

type Values = Readonly<Record<string, { readonly value: string }>>

const steps: Values = Object.fromEntries(
  STEPS.map((step) => [step, { value: `${step * 0.25}rem` }]),
)

const listed = (values: Readonly<Record<string, string>>): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))

const SANS =
  'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif'

/** Values that are the same in both themes. */
export const tokens = {
  animations: listed({
    spin: 'spin 1s linear infinite',
    pulse: 'pulse 2s cubic-bezier(0.4, 0, 0.6, 1) infinite',
  }),
  // Behind dialogs and drawers, and under a pointer on a coloured ground.
  colors: { blackAlpha: listed({ 300: 'rgba(0, 0, 0, 0.16)', 500: 'rgba(0, 0, 0, 0.36)' }) },
  cursor: listed({
    button: 'pointer',
    disabled: 'not-allowed',
    menuitem: 'default',
  }),
  // Nothing moves for longer than 150 ms.
  durations: listed({
    faster: '100ms',
    fast: '150ms',
    moderate: '120ms',
    slow: '150ms',
    slower: '150ms',
    slowest: '500ms',
  }),
  easings: listed({
    'ease-out': 'cubic-bezier(0, 0, 0.58, 1)',
    'ease-in-out': 'cubic-bezier(0.42, 0, 0.58, 1)',
    'ease-in-smooth': 'cubic-bezier(0.32, 0.72, 0, 1)',
  }),
  fonts: listed({
    body: SANS,
    heading: SANS,
    mono: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  }),
  fontSizes: listed({
    '2xs': '0.625rem',
    xs: '0.75rem',
    sm: '0.875rem',
    md: '1rem',
    lg: '1.125rem',
    xl: '1.25rem',
    '2xl': '1.5rem',
    '3xl': '1.875rem',
    '4xl': '2.25rem',
    '5xl': '3rem',
    '6xl': '3.75rem',
    '7xl': '4.5rem',
  }),
  fontWeights: listed({ light: '300', normal: '400', medium: '500', semibold: '600', bold: '700' }),
  letterSpacings: listed({ widest: '0.1em' }),
  lineHeights: listed({ short: '1.375', moderate: '1.5' }),
  radii: listed({
    none: '0',
    '2xs': '0.0625rem',
    xs: '0.125rem',
    sm: '0.25rem',
    md: '0.375rem',
    lg: '0.5rem',
    full: '9999px',
  }),
  sizes: {
    ...steps,
    ...listed({
      '2xs': '16rem',
      xs: '20rem',
      sm: '24rem',
      md: '28rem',
      lg: '32rem',
      xl: '36rem',
      '2xl': '42rem',
      '3xl': '48rem',
      '4xl': '56rem',
      min: 'min-content',
      full: '100%',
    }),
  },
  spacing: steps,
  zIndex: listed({ sticky: '1100', popover: '1500', skipNav: '1600', tooltip: '1800' }),
}

/** A colour in the light theme and in the dark one. */
const themed = (light: string, dark: string) => ({ value: { _light: light, _dark: dark } })
/** The colours of a tag: its background (`subtle`) and its text (`fg`). */
const tint = (subtle: readonly [string, string], fg: readonly [string, string]) => ({
  subtle: themed(...subtle),
  fg: themed(...fg),
})

/**
 * Colours by what they are for: warm-tinted greys, a deep-teal accent and text that reaches 4.5:1 in both themes. Only
 * teal and red colour buttons; the other palettes colour tags, three of them dots, too.
 */
export const semanticTokens = {
  colors: {
    bg: {
      DEFAULT: themed('#faf9f7', '#161513'),
      subtle: themed('#f3f1ee', '#1b1a17'),
      muted: themed('#f3f1ee', '#262420'),
      emphasized: themed('#e5e2dd', '#2d2a26'),
      inverted: themed('#09090b', '#ffffff'),
      panel: themed('#ffffff', '#1b1a18'),
      error: themed('#fef2f2', '#1f0808'),
      warning: themed('#fff7ed', '#2a2010'),
    },
    fg: {
      DEFAULT: themed('#211f1b', '#ece9e4'),
      muted: themed('#5b5750', '#b0aaa1'),
      subtle: themed('#6b665e', '#9a948b'),
      inverted: themed('#faf9f7', '#09090b'),
      error: themed('#b3261e', '#ff8f85'),
      warning: themed('#8a5300', '#f0b45c'),
      success: themed('#1c6e3d', '#79cf98'),
    },
    border: {
      DEFAULT: themed('#e5e2dd', '#35322d'),
      muted: themed('#ece9e5', '#2a2823'),
      emphasized: themed('#d2cec7', '#4a463f'),
      error: themed('#ef4444', '#f87171'),
      field: themed('#918c84', '#6c675e'),
    },
    teal: {
      contrast: themed('#ffffff', '#ffffff'),
      fg: themed('#0f5650', '#74bfb8'),
      subtle: themed('#d3ebe8', '#0b302d'),
      muted: themed('#a9d8d3', '#0e4540'),
      emphasized: themed('#74bfb8', '#0f5650'),
      solid: themed('#126b64', '#157a72'),
      focusRing: themed('#20847c', '#42a199'),
      border: themed('#20847c', '#42a199'),
    },
    red: {
      contrast: themed('#ffffff', '#ffffff'),
      fg: themed('#991919', '#fca5a5'),
      subtle: themed('#fee2e2', '#300c0c'),
      muted: themed('#fecaca', '#511111'),
      emphasized: themed('#fca5a5', '#991919'),
      solid: themed('#dc2626', '#dc2626'),
      focusRing: themed('#ef4444', '#ef4444'),
      border: themed('#ef4444', '#f87171'),
    },
    orange: {
      ...tint(['#ffedd5', '#3b1106'], ['#92310a', '#fdba74']),
      contrast: themed('#ffffff', '#09090b'),
      solid: themed('#ea580c', '#f97316'),
    },
    green: {
      ...tint(['#dcfce7', '#042713'], ['#116932', '#86efac']),
      contrast: themed('#ffffff', '#ffffff'),
      // White words on Chakra's own green reach 3.3:1 only.
      solid: themed('#15803d', '#15803d'),
    },
    // Darker than a row that is open or under the pointer.
    gray: tint(['#e5e2dd', '#35322d'], ['#2d2a26', '#e5e2dd']),
    blue: tint(['#dbeafe', '#14204a'], ['#173da6', '#a3cfff']),
    yellow: tint(['#fef9c3', '#422006'], ['#713f12', '#fde047']),
    purple: tint(['#f3e8ff', '#2f0553'], ['#641ba3', '#d8b4fe']),
    pink: tint(['#fce7f3', '#45061f'], ['#a41752', '#f9a8d4']),
    cyan: tint(['#cffafe', '#072a38'], ['#0c5c72', '#67e8f9']),
    lime: tint(['#ecfccb', '#1f2e0a'], ['#3f6212', '#bef264']),
  },
  radii: {
    l1: { value: '{radii.xs}' },
    l2: { value: '{radii.sm}' },
    l3: { value: '{radii.md}' },
  },
  shadows: {
    sm: themed(
      '0px 2px 4px #1f1d1a1a, 0px 0px 1px #1f1d1a4d',
      '0px 2px 4px #09090ba3, 0px 0px 1px inset #d2cec74d',
    ),
    md: themed(
      '0px 4px 8px #1f1d1a1a, 0px 0px 1px #1f1d1a4d',
      '0px 4px 8px #09090ba3, 0px 0px 1px inset #d2cec74d',
    ),
    lg: themed(
      '0px 8px 16px #1f1d1a1a, 0px 0px 1px #1f1d1a4d',
      '0px 8px 16px #09090ba3, 0px 0px 1px inset #d2cec74d',
    ),
    xl: themed(
      '0px 16px 24px #1f1d1a1a, 0px 0px 1px #1f1d1a4d',
      '0px 16px 24px #09090ba3, 0px 0px 1px inset #d2cec74d',
    ),
  },
}
