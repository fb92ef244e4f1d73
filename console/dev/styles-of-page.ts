import type { Plugin } from 'vite'

const SYSTEM = /@chakra-ui\/react\/dist\/esm\/styled-system\/system\.js$/
const AT_ONCE = 'const _global = [getPreflightCss(), getGlobalCss(), getTokenCss()];'

/**
 * Leaves out the styles of reset and tokens that Chakra computes at every start: the page has them already
 * (`dev/global-styles.tsx`), and they are half of what the design system costs a browser. A Chakra that is written
 * otherwise fails the build.
 */
export const stylesOfPage = (): Plugin => ({
  name: 'tollgate-styles-of-page',
  apply: 'build',
  transform: {
    filter: { id: SYSTEM },
    handler(code) {
      if (!code.includes(AT_ONCE)) this.error(`Chakra's system no longer says "${AT_ONCE}".`)
      return { code: code.replace(AT_ONCE, 'const _global = [];'), map: null }
    },
  },
})
