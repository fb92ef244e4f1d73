import type { ReactNode } from 'react'
import { Link as LinkStyle } from './late/link.ts'

/** The look of a figure or name that leads somewhere: its own colour, underlined, so that dense lists stay calm. */
export function Opens({ children }: { children: ReactNode }) {
  return (
    <LinkStyle
      asChild
      display="inline"
      color="inherit"
      textDecorationLine="underline"
      textDecorationColor="border.field"
      textUnderlineOffset="3px"
      _hover={{ color: 'teal.fg', textDecorationColor: 'currentColor' }}
    >
      {children}
    </LinkStyle>
  )
}
