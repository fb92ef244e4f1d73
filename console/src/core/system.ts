import { createSystem, defaultBaseConfig, defineConfig } from '@chakra-ui/react'
import {
  animationStyles,
  badgeRecipe,
  breakpoints,
  buttonRecipe,
  dialogSlotRecipe,
  drawerSlotRecipe,
  fieldSlotRecipe,
  globalCss,
  headingRecipe,
  iconRecipe,
  inputRecipe,
  keyframes,
  layerStyles,
  linkRecipe,
  menuSlotRecipe,
  popoverSlotRecipe,
  nativeSelectSlotRecipe,
  semanticTokens,
  separatorRecipe,
  skeletonRecipe,
  spinnerRecipe,
  textareaRecipe,
  textStyles,
  toastSlotRecipe,
  tokens,
} from '@chakra-ui/react/theme'

/**
 * The console's design system: Chakra's base with only the recipes in use (the rest would cost every visitor),
 * warm-tinted greys, a deep-teal accent and text colours that reach 4.5:1 in both themes.
 */
export const system = createSystem(
  defaultBaseConfig,
  defineConfig({
    preflight: true,
    cssVarsPrefix: 'tg',
    cssVarsRoot: ':where(html, .chakra-theme)',
    globalCss: {
      ...globalCss,
      html: { color: 'fg', bg: 'bg', lineHeight: '1.45', colorPalette: 'teal', fontSize: '16px' },
      body: { fontSize: '14px', minHeight: '100dvh' },
      ':focus-visible': { outlineColor: 'teal.focusRing', outlineOffset: '2px' },
      '*, *::before, *::after': {
        _motionReduce: {
          animationDuration: '0.01ms !important',
          // None at all: even the shortest one would draw a page that has just got its styles between two looks.
          transitionDuration: '0s !important',
        },
      },
    },
    theme: {
      breakpoints: { ...breakpoints, sm: '600px' },
      keyframes,
      tokens,
      semanticTokens,
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
      tokens: {
        // Nothing moves for longer than 150 ms.
        durations: {
          moderate: { value: '120ms' },
          slow: { value: '150ms' },
          slower: { value: '150ms' },
        },
        fonts: {
          body: {
            value:
              'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
          },
          heading: {
            value:
              'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
          },
          mono: { value: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace' },
        },
        colors: {
          gray: {
            50: { value: '#faf9f7' },
            100: { value: '#f3f1ee' },
            200: { value: '#e5e2dd' },
            300: { value: '#d2cec7' },
            400: { value: '#a6a199' },
            500: { value: '#78736b' },
            600: { value: '#5b5750' },
            700: { value: '#45413b' },
            800: { value: '#2d2a26' },
            900: { value: '#1f1d1a' },
            950: { value: '#161513' },
          },
          teal: {
            50: { value: '#eef7f6' },
            100: { value: '#d3ebe8' },
            200: { value: '#a9d8d3' },
            300: { value: '#74bfb8' },
            400: { value: '#42a199' },
            500: { value: '#20847c' },
            600: { value: '#126b64' },
            700: { value: '#0f5650' },
            800: { value: '#0e4540' },
            900: { value: '#0b302d' },
            950: { value: '#071f1d' },
          },
        },
      },
      semanticTokens: {
        colors: {
          bg: {
            DEFAULT: { value: { _light: '{colors.gray.50}', _dark: '{colors.gray.950}' } },
            subtle: { value: { _light: '{colors.gray.100}', _dark: '#1b1a17' } },
            muted: { value: { _light: '{colors.gray.100}', _dark: '#262420' } },
            panel: { value: { _light: '{colors.white}', _dark: '#1b1a18' } },
          },
          fg: {
            DEFAULT: { value: { _light: '#211f1b', _dark: '#ece9e4' } },
            muted: { value: { _light: '#5b5750', _dark: '#b0aaa1' } },
            subtle: { value: { _light: '#6b665e', _dark: '#9a948b' } },
            error: { value: { _light: '#b3261e', _dark: '#ff8f85' } },
            warning: { value: { _light: '#8a5300', _dark: '#f0b45c' } },
            success: { value: { _light: '#1c6e3d', _dark: '#79cf98' } },
          },
          border: {
            DEFAULT: { value: { _light: '{colors.gray.200}', _dark: '#35322d' } },
            muted: { value: { _light: '#ece9e5', _dark: '#2a2823' } },
            emphasized: { value: { _light: '{colors.gray.300}', _dark: '#4a463f' } },
            field: { value: { _light: '#918c84', _dark: '#6c675e' } },
          },
          // Chakra has no lime; only tags are lime, so only what they use is here.
          lime: {
            subtle: { value: { _light: '#ecfccb', _dark: '#1f2e0a' } },
            muted: { value: { _light: '#d9f99d', _dark: '#2f450f' } },
            fg: { value: { _light: '#3f6212', _dark: '#bef264' } },
          },
          // White words on Chakra's own green reach 3.3:1 only.
          green: { solid: { value: { _light: '#15803d', _dark: '#15803d' } } },
          teal: {
            solid: { value: { _light: '{colors.teal.600}', _dark: '#157a72' } },
            fg: { value: { _light: '{colors.teal.700}', _dark: '{colors.teal.300}' } },
            focusRing: { value: { _light: '{colors.teal.500}', _dark: '{colors.teal.400}' } },
          },
        },
      },
    },
  }),
)
