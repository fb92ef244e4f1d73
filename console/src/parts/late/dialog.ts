import { dialogSlotRecipe } from '@chakra-ui/react/theme'
import { addRecipes } from '../../core/late-recipes.ts'

addRecipes({ theme: { slotRecipes: { dialog: dialogSlotRecipe } } })

export { Dialog } from '@chakra-ui/react'
