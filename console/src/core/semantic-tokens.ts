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
