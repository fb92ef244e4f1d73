import { toastSlotRecipe } from '@chakra-ui/react/theme'
import { addRecipes } from '../../core/late-recipes.ts'

addRecipes(
  { theme: { slotRecipes: { toast: toastSlotRecipe } } },
  {
    theme: {
      slotRecipes: {
        toast: {
          slots: toastSlotRecipe.slots,
          base: {
            root: {
              transition: 'translate 150ms, scale 150ms, opacity 150ms, height 150ms',
              _closed: { transition: 'translate 150ms, scale 150ms, opacity 120ms' },
              '&[data-type=info]': { borderWidth: '1px', borderColor: 'border.emphasized' },
            },
          },
        },
      },
    },
  },
)

export { createToaster, Toast, Toaster } from '@chakra-ui/react'
