import type { SystemContext } from '@chakra-ui/react'
import { createSystem, defaultBaseConfig } from '@chakra-ui/react'
import { design } from './design.ts'
import { lateRecipe, lateSlotRecipe } from './late-recipes.ts'
import { semanticTokens } from './tokens.ts'

/**
 * The console's design system, without its global styles and without the themes' values: those are in the page itself
 * (`dev/global-styles.tsx`), where no script has to write them first. Recipes that come later are taken when they are
 * first asked for.
 */
export function createConsoleSystem(): SystemContext {
  const system = createSystem(defaultBaseConfig, ...design(namesOf(semanticTokens)))
  return {
    ...system,
    _global: [],
    getRecipeFn: (name) => system.getRecipeFn(name, lateRecipe(name)),
    getSlotRecipeFn: (name) => system.getSlotRecipeFn(name, lateSlotRecipe(name)),
  }
}

/** The same names, each with one value that nobody reads: styles refer to tokens by name. */
function namesOf<Names extends object>(names: Names): Names {
  return Object.fromEntries(
    Object.entries(names).map(([name, entry]) => [
      name,
      'value' in entry ? { value: '-' } : namesOf(entry),
    ]),
  ) as Names
}
