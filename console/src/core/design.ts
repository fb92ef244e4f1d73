import { defineConfig } from '@chakra-ui/react'
import {
  animationStyles,
  badgeRecipe,
  breakpoints,
  buttonRecipe,
  dialogSlotRecipe,
  drawerSlotRecipe,
  fieldSlotRecipe,
  headingRecipe,
  iconRecipe,
  inputRecipe,
  keyframes,
  layerStyles,
  linkRecipe,
  menuSlotRecipe,
  popoverSlotRecipe,
  nativeSelectSlotRecipe,
  separatorRecipe,
  skeletonRecipe,
  spinnerRecipe,
  textareaRecipe,
  textStyles,
  toastSlotRecipe,
} from '@chakra-ui/react/theme'
import type { semanticTokens } from './tokens.ts'
import { tokens } from './tokens.ts'

/**
 * What the console's look is made of, beside Chakra's base: only the recipes and tokens in use, since each costs every
 * visitor. The tokens with a value for each theme come from the caller.
 */
export const design = (themed: typeof semanticTokens) => [
  defineConfig({
    cssVarsPrefix: 'tg',
    cssVarsRoot: ':where(html, .chakra-theme)',
    theme: {
      breakpoints: { ...breakpoints, sm: '600px' },
      keyframes,
      tokens,
      semanticTokens: themed,
      textStyles,
      layerStyles,
      animationStyles,
      recipes: {
        badge: badgeRecipe,
        button: buttonRecipe,
        heading: headingRecipe,
        icon: iconRecipe,
        input: inputRecipe,
        link: linkRecipe,
        separator: separatorRecipe,
        skeleton: skeletonRecipe,
        spinner: spinnerRecipe,
        textarea: textareaRecipe,
      },
      slotRecipes: {
        dialog: dialogSlotRecipe,
        drawer: drawerSlotRecipe,
        field: fieldSlotRecipe,
        menu: menuSlotRecipe,
        nativeSelect: nativeSelectSlotRecipe,
        popover: popoverSlotRecipe,
        toast: toastSlotRecipe,
      },
    },
  }),
  defineConfig({
    theme: {
      recipes: {
        // Where one may type has to be seen: 3:1 against what is around it (WCAG 1.4.11).
        input: { variants: { variant: { outline: { borderColor: 'border.field' } } } },
        textarea: { variants: { variant: { outline: { borderColor: 'border.field' } } } },
        // Only the one main action of a view is coloured; the others stay neutral.
        button: {
          variants: {
            variant: {
              outline: { borderColor: 'border.emphasized', color: 'fg' },
              ghost: { color: 'fg.muted' },
            },
          },
        },
      },
      slotRecipes: {
        nativeSelect: {
          slots: nativeSelectSlotRecipe.slots,
          variants: { variant: { outline: { field: { borderColor: 'border.field' } } } },
        },
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
  }),
]
