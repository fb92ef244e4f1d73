import { menuSlotRecipe } from '@chakra-ui/react/theme'
import { addRecipes } from '../../core/late-recipes.ts'

addRecipes({ theme: { slotRecipes: { menu: menuSlotRecipe } } })

export { Menu } from '@chakra-ui/react'
