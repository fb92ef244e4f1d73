import { ChakraProvider, createSystem, defaultBaseConfig, defineConfig } from '@chakra-ui/react'
import { globalCss, keyframes } from '@chakra-ui/react/theme'
import { renderToStaticMarkup } from 'react-dom/server'
import { design } from '../src/core/design.ts'
import { semanticTokens } from '../src/core/semantic-tokens.ts'

const global = defineConfig({
  preflight: true,
  theme: { keyframes },
  globalCss: {
    ...globalCss,
    html: {
      color: 'fg',
      bg: 'bg',
      lineHeight: '1.45',
      colorPalette: 'teal',
      fontSize: '16px',
      // The top bar covers 48 px of what is scrolled to the window's upper edge.
      scrollPaddingTop: '60px',
    },
    body: { fontSize: '14px', minHeight: '100dvh' },
    '.opens': {
      cursor: 'pointer',
      textDecorationLine: 'underline',
      textDecorationColor: 'border.field',
      textUnderlineOffset: '3px',
      _hover: { color: 'teal.fg', textDecorationColor: 'currentColor' },
    },
    ':focus-visible': { outlineColor: 'teal.focusRing', outlineOffset: '2px' },
    '*, *::before, *::after': {
      _motionReduce: {
        animationDuration: '0.01ms !important',
        // Else what waits, such as a skeleton, would go on pulsing, a hundred thousand times a second.
        animationIterationCount: '1 !important',
        // None at all: even the shortest one would draw a page that has just got its styles between two looks.
        transitionDuration: '0s !important',
      },
    },
  },
})

/**
 * The styles that hold for every page, as `<style>` elements: Chakra's reset, the console's own and the tokens as custom
 * properties.
 */
export function globalStyles(): string {
  const system = createSystem(defaultBaseConfig, ...design(semanticTokens), global)
  const drawn = renderToStaticMarkup(<ChakraProvider value={system}>{null}</ChakraProvider>)
  // Emotion would take elements so marked for its own, and move them.
  return drawn.replaceAll(/ data-emotion="[^"]*"/g, '').replaceAll(OLD_NAMES, '')
}

/** Names that browsers had for animations and movements until 2015: a third of the rules. */
const OLD_NAMES = new RegExp(
  [
    '@-webkit-keyframes [^{]+\\{(?:[^{}]*\\{[^{}]*\\})*\\}',
    '-(?:webkit|moz|ms)-(?:transform|translate|background-position|animation-[a-z-]+):[^;}]+;',
  ].join('|'),
  'g',
)
