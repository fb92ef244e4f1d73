import { chakra } from '@chakra-ui/react'
import type { ReactNode } from 'react'

/** Names, texts, numbers and words of JSON that is set out in lines. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

/** JSON set out in lines, its names, texts and numbers told apart by colour; a text that is none stands as it is. */
export function JsonView({ text, label }: { text: string; label: string }) {
  return (
    <chakra.pre
      p="3"
      overflowX="auto"
      whiteSpace="pre-wrap"
      overflowWrap="anywhere"
      fontFamily="mono"
      fontSize="xs"
      lineHeight="1.6"
      borderWidth="1px"
      borderColor="border"
      borderRadius="l2"
      bg="bg.subtle"
      tabIndex={0}
      aria-label={label}
      css={{
        '& [data-json=name]': { color: 'teal.fg' },
        '& [data-json=text]': { color: 'green.fg' },
        '& [data-json=other]': { color: 'blue.fg' },
      }}
    >
      {lit(laidOut(text))}
    </chakra.pre>
  )
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Shown as it is.
    return text
  }
}

function lit(text: string): readonly ReactNode[] {
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match
    const token = quoted ?? whole
    const kind = quoted === undefined ? 'other' : colon === undefined ? 'text' : 'name'
    parts.push(
      text.slice(end, match.index),
      <span key={match.index} data-json={kind}>
        {token}
      </span>,
    )
    end = match.index + token.length
  }
  return [...parts, text.slice(end)]
}
