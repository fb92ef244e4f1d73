import { Box, Flex, Stack } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import type { Tone } from './tag.tsx'
import { Tag } from './tag.tsx'
import { Time } from './time.tsx'

/** Something that happened: what, when, by whom, why. */
export interface Happening {
  readonly id: string
  readonly what: string
  readonly tone: Tone
  /** Unix seconds. */
  readonly at: number
  readonly by: string
  /** '' or null = nothing to say. */
  readonly why?: ReactNode
}

/** The history of one thing, newest first. */
export function Timeline({ label, entries }: { label: string; entries: readonly Happening[] }) {
  return (
    <Stack as="ol" gap="3" listStyleType="none" aria-label={label}>
      {entries.map((entry) => (
        <Box as="li" key={entry.id} ps="3" borderStartWidth="2px" borderColor="border">
          <Flex gap="2" wrap="wrap" align="center" fontSize="xs" color="fg.muted">
            <Tag tone={entry.tone}>{entry.what}</Tag>
            <Time seconds={entry.at} />
            <span>{entry.by}</span>
          </Flex>
          {entry.why ? (
            <Box mt="1" fontSize="sm" overflowWrap="anywhere">
              {entry.why}
            </Box>
          ) : null}
        </Box>
      ))}
    </Stack>
  )
}
