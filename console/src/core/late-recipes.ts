import type { SystemConfig } from '@chakra-ui/react'
import { mergeConfigs } from '@chakra-ui/react'

/** Recipes that came with the parts they belong to, by the names that Chakra's components ask for. */
const recipes: Record<string, unknown> = {}
const slotRecipes: Record<string, unknown> = {}

/** Adds the recipes of configurations, later ones over earlier ones. To be called before their components are drawn. */
export function addRecipes(...configs: SystemConfig[]): void {
  const { theme } = mergeConfigs(...configs)
  Object.assign(recipes, theme?.recipes)
  Object.assign(slotRecipes, theme?.slotRecipes)
}

/** A recipe that was added, or undefined. */
export const lateRecipe = (name: string): unknown => recipes[name]

/** A recipe of several slots that was added, or undefined. */
export const lateSlotRecipe = (name: string): unknown => slotRecipes[name]
