import { Button, Flex, Heading, Skeleton, Stack, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../core/api.ts'
import { CopyTextButton } from './copy.tsx'

/** An empty place: what would be here, how to get it, and the button that gets it. */
export function EmptyState(props: { title: string; detail?: string; action?: ReactNode }) {
  return (
    <Flex direction="column" align="center" gap="2" py="12" px="4" textAlign="center">
      <Heading as="p" size="sm" fontWeight="600">
        {props.title}
      </Heading>
      {props.detail ? (
        <Text color="fg.muted" maxW="46ch">
          {props.detail}
        </Text>
      ) : null}
      {props.action}
    </Flex>
  )
}

/** Stands in for a screen that the visitor's role may not see. */
export function Forbidden() {
  const { t } = useTranslation()
  return (
    <EmptyState
      title={t('place.forbidden')}
      detail={t('place.forbiddenDetail')}
      action={
        <Button asChild size="sm" variant="outline">
          <Link to="/personal">{t('place.personal')}</Link>
        </Button>
      }
    />
  )
}

/** A failure, with the request id to copy and a way to try again; `what` says what failed, where that is not plain. */
export function ErrorState(props: { error: unknown; what?: string; onRetry?: () => void }) {
  const { error, what, onRetry } = props
  const { t } = useTranslation()
  const requestId = error instanceof ApiError ? error.requestId : ''
  const message = error instanceof Error ? error.message : String(error)
  return (
    <Flex role="alert" direction="column" align="center" gap="3" py="10" px="4" textAlign="center">
      {what ? <Text fontWeight="600">{what}</Text> : null}
      <Text color="fg.error" overflowWrap="anywhere">
        {message || t('failure.serverError')}
      </Text>
      <Flex gap="2">
        {onRetry ? (
          <Button size="xs" variant="outline" onClick={onRetry}>
            <RotateCw size={13} />
            {t('action.retry')}
          </Button>
        ) : null}
        {requestId ? <CopyTextButton text={requestId}>{t('copy.requestId')}</CopyTextButton> : null}
      </Flex>
    </Flex>
  )
}

/** Rows of the size of what is coming, so that nothing jumps when it arrives. */
export function SkeletonRows({ rows, height = '36px' }: { rows: number; height?: string }) {
  return (
    <Stack gap="1px" aria-hidden>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} borderRadius="0" />
      ))}
    </Stack>
  )
}
