import type { SystemContext } from '@chakra-ui/react'
import { createSystem, defaultBaseConfig } from '@chakra-ui/react'
import { design } from './design.ts'
import { lateRecipe, lateSlotRecipe } from './late-recipes.ts'
import { semanticTokens } from './semantic-tokens.ts'

/**
 * Recipes stand in no cascade layer: Chromium works out every style and the whole layout again whenever a rule in a layer
 * is added, and components add theirs as they appear. What overrides a recipe is merged into it first, as its last word.
 */
const WITHOUT_LAYERS = { disableLayers: true }

/**
 * The console's design system, without its global styles and, once built, without the themes' values
 * (`dev/token-names.ts`): those are in the page itself (`dev/global-styles.tsx`), where no script has to write them
 * first. Recipes that come later are taken when they are first asked for.
 */
export function createConsoleSystem(): SystemContext {
  const system = createSystem(defaultBaseConfig, ...design(semanticTokens), WITHOUT_LAYERS)
  return {
    ...system,
    _global: [],
    getRecipeFn: (name) => system.getRecipeFn(name, lateRecipe(name)),
    getSlotRecipeFn: (name) => system.getSlotRecipeFn(name, lateSlotRecipe(name)),
  }
}
