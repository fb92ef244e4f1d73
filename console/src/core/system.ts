import { createSystem, defaultBaseConfig } from '@chakra-ui/react'
import { design } from './design.ts'

/**
 * The console's design system, without its global styles: those are in the page itself (`dev/global-styles.tsx`), where no
 * script has to write them first.
 */
export const createConsoleSystem = () => ({
  ...createSystem(defaultBaseConfig, ...design),
  _global: [],
})
