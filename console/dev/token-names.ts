import type { Plugin } from 'vite'
import { semanticTokens } from '../src/core/semantic-tokens.ts'

/**
 * Builds the themes' colours as names alone: styles refer to tokens by name, and the values are in the page
 * (`dev/global-styles.tsx`). So no visitor loads and computes them a second time.
 */
export const tokenNames = (): Plugin => ({
  name: 'tollgate-token-names',
  apply: 'build',
  transform: {
    filter: { id: /console\/src\/core\/semantic-tokens\.ts$/ },
    handler: () => ({
      code: `export const semanticTokens = ${JSON.stringify(namesOf(semanticTokens))}`,
      map: null,
    }),
  },
})

/** The same names, each with one value that nobody reads. */
const namesOf = (names: object): object =>
  Object.fromEntries(
    Object.entries(names).map(([name, entry]: [string, object]) => [
      name,
      'value' in entry ? { value: '-' } : namesOf(entry),
    ]),
  )
