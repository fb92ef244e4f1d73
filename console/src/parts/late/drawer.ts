import { drawerSlotRecipe } from '@chakra-ui/react/theme'
import { addRecipes } from '../../core/late-recipes.ts'

addRecipes({ theme: { slotRecipes: { drawer: drawerSlotRecipe } } })

export { Drawer } from '@chakra-ui/react'
