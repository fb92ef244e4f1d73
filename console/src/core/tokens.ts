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
