import { linkRecipe } from '@chakra-ui/react/theme'
import { addRecipes } from '../../core/late-recipes.ts'

addRecipes({ theme: { recipes: { link: linkRecipe } } })

export { Link } from '@chakra-ui/react'
