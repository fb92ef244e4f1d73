import { Box, Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../core/api.ts'
import { useStatus } from '../core/status.ts'
import { CopyTextButton } from './copy.tsx'
import { Panel } from './page.tsx'

/**
 * A page that people meet before they are signed in: a narrow card with its heading above and links below. `notice` is
 * what they should know first, such as that the session expired.
 */
export function AuthCard(props: {
  /** The title of the browser's tab. */
  title: string
  heading: string
  notice?: string | undefined
  footer?: ReactNode
  children: ReactNode
}) {
  const systemName = useStatus()?.system_name || 'Tollgate'
  return (
    <Box maxW="400px" mx="auto" px={{ base: '3', md: '4' }} pt={{ base: '8', md: '16' }} pb="8">
      <title>{`${props.title} · ${systemName}`}</title>
      <Heading as="h1" size="xl" mb="4" letterSpacing="-0.015em" overflowWrap="anywhere">
        {props.heading}
      </Heading>
      {props.notice ? (
        <Text
          as="output"
          display="block"
          bg="bg.warning"
          color="fg.warning"
          borderRadius="l2"
          px="3"
          py="2"
          mb="4"
        >
          {props.notice}
        </Text>
      ) : null}
      <Panel p={{ base: '4', md: '5' }}>{props.children}</Panel>
      {props.footer ? (
        <Flex mt="4" gap="4" wrap="wrap" justify="space-between" css={LINKS}>
          {props.footer}
        </Flex>
      ) : null}
    </Box>
  )
}

const LINKS = { '& a': { color: 'teal.fg', _hover: { textDecoration: 'underline' } } }

/** Why the last attempt failed, in the form where it can be mended; the request id only where people may have to ask. */
export function FormError({ error }: { error: Error | string | null }) {
  const { t } = useTranslation()
  if (!error) return null
  const message = error instanceof Error ? error.message : error
  const requestId = error instanceof ApiError && error.kind === 'failed' ? error.requestId : ''
  return (
    <Box role="alert" bg="bg.error" color="fg.error" borderRadius="l2" px="3" py="2">
      <Text overflowWrap="anywhere">{message || t('failure.serverError')}</Text>
      {requestId ? <CopyTextButton text={requestId}>{t('copy.requestId')}</CopyTextButton> : null}
    </Box>
  )
}
