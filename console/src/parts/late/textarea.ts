import { textareaRecipe } from '@chakra-ui/react/theme'
import { addRecipes } from '../../core/late-recipes.ts'

addRecipes(
  { theme: { recipes: { textarea: textareaRecipe } } },
  {
    theme: {
      // Where one may type has to be seen, as of an input.
      recipes: {
        textarea: { variants: { variant: { outline: { borderColor: 'border.field' } } } },
      },
    },
  },
)

export { Textarea } from '@chakra-ui/react'
