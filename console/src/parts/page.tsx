import { Box, Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useStatus } from '../core/status.ts'

/** A screen: its heading, what can be done on it, its content. Also names the browser's tab. */
export function Page(props: {
  title: string
  description?: string
  actions?: ReactNode
  /** As wide as the window: for tables. */
  isWide?: boolean
  children: ReactNode
}) {
  const systemName = useStatus()?.system_name || 'Tollgate'
  return (
    <Box
      as="section"
      px={{ base: '3', md: '6' }}
      py={{ base: '3', md: '5' }}
      minW="0"
      w="full"
      mx="auto"
      {...(props.isWide ? {} : { maxW: '1440px' })}
    >
      <title>{`${props.title} · ${systemName}`}</title>
      <Flex align="center" justify="space-between" gap="3" wrap="wrap" mb="4">
        <Box minW="0">
          <Heading as="h1" size="lg" fontWeight="650" letterSpacing="-0.01em">
            {props.title}
          </Heading>
          {props.description ? <Text color="fg.muted">{props.description}</Text> : null}
        </Box>
        {props.actions ? (
          <Flex gap="2" wrap="wrap">
            {props.actions}
          </Flex>
        ) : null}
      </Flex>
      {props.children}
    </Box>
  )
}

/** A bordered surface that groups one thing. */
export function Panel({ children, ...rest }: { children: ReactNode } & Record<string, unknown>) {
  return (
    <Box bg="bg.panel" borderWidth="1px" borderColor="border" borderRadius="l2" minW="0" {...rest}>
      {children}
    </Box>
  )
}
