import { nativeSelectSlotRecipe } from '@chakra-ui/react/theme'
import { addRecipes } from '../../core/late-recipes.ts'

addRecipes(
  { theme: { slotRecipes: { nativeSelect: nativeSelectSlotRecipe } } },
  {
    theme: {
      slotRecipes: {
        // Where one may choose has to be seen, as of an input.
        nativeSelect: {
          slots: nativeSelectSlotRecipe.slots,
          variants: { variant: { outline: { field: { borderColor: 'border.field' } } } },
        },
      },
    },
  },
)

export { NativeSelect } from '@chakra-ui/react'
