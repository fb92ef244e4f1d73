import { Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { Panel } from './page.tsx'

/** A titled part of a screen, found by its name; `action` stands beside the title. */
export function Card(props: {
  title: string
  description?: string
  action?: ReactNode
  /** With the space of charts around it, so that its heading stands in line with theirs. */
  isBesideChart?: boolean
  children: ReactNode
}) {
  return (
    <Panel
      {...(props.isBesideChart ? { px: '4', pt: '3', pb: '4' } : { p: '5' })}
      as="section"
      aria-label={props.title}
    >
      <Flex justify="space-between" align="center" gap="3" mb={props.description ? '1' : '3'}>
        <Heading as="h2" size="sm">
          {props.title}
        </Heading>
        {props.action}
      </Flex>
      {props.description ? (
        <Text color="fg.muted" mb="3">
          {props.description}
        </Text>
      ) : null}
      {props.children}
    </Panel>
  )
}
