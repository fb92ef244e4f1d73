import { Badge } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { hinted } from './hinted.ts'

/** The meanings that colours stand for; the words always say it too. */
export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent' | 'info'

const PALETTES: Record<Tone, string> = {
  neutral: 'gray',
  good: 'green',
  warning: 'orange',
  bad: 'red',
  accent: 'teal',
  info: 'blue',
}

/** A small word on a tinted ground; `hint` explains it on hover and focus. */
export function Tag(props: {
  tone?: Tone
  palette?: string
  hint?: string | undefined
  children: ReactNode
}) {
  return (
    <Badge
      size="sm"
      variant="subtle"
      colorPalette={props.palette ?? PALETTES[props.tone ?? 'neutral']}
      {...(props.hint ? hinted(props.hint) : {})}
    >
      {props.children}
    </Badge>
  )
}
