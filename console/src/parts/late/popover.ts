import { popoverSlotRecipe } from '@chakra-ui/react/theme'
import { addRecipes } from '../../core/late-recipes.ts'

addRecipes({ theme: { slotRecipes: { popover: popoverSlotRecipe } } })

export { Popover } from '@chakra-ui/react'
