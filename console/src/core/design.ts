import { defineConfig } from '@chakra-ui/react'
import {
  animationStyles,
  badgeRecipe,
  breakpoints,
  buttonRecipe,
  fieldSlotRecipe,
  headingRecipe,
  iconRecipe,
  inputRecipe,
  skeletonRecipe,
  spinnerRecipe,
  textStyles,
} from '@chakra-ui/react/theme'
import type { semanticTokens } from './semantic-tokens.ts'
import { tokens } from './tokens.ts'

/**
 * The console's design, beside Chakra's base. It holds only the tokens in use and the recipes of the first pages, since
 * each costs every visitor. The other recipes come with their components (`parts/late`), the keyframes with the page
 * (`dev/global-styles.tsx`). The caller gives the tokens with a value for each theme.
 */
export const design = (themed: typeof semanticTokens) => [
  defineConfig({
    cssVarsPrefix: 'tg',
    cssVarsRoot: ':where(html, .chakra-theme)',
    theme: {
      breakpoints: { ...breakpoints, sm: '600px' },
      tokens,
      semanticTokens: themed,
      textStyles,
      // The only one that Chakra's recipes in use name; its own table has eleven.
      layerStyles: { disabled: { value: { opacity: '0.5', cursor: 'not-allowed' } } },
      animationStyles,
      recipes: {
        badge: badgeRecipe,
        button: buttonRecipe,
        heading: headingRecipe,
        icon: iconRecipe,
        input: inputRecipe,
        skeleton: skeletonRecipe,
        spinner: spinnerRecipe,
      },
      slotRecipes: { field: fieldSlotRecipe },
    },
  }),
  defineConfig({
    theme: {
      recipes: {
        // Where one may type has to be seen: 3:1 against what is around it (WCAG 1.4.11).
        input: { variants: { variant: { outline: { borderColor: 'border.field' } } } },
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
    },
  }),
]
