import { Box, Flex, Spinner, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { clientAddress } from '../../core/last-status.ts'
import { useStatus } from '../../core/status.ts'
import { FormError } from '../../parts/auth-card.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CodeBlock } from '../../parts/markdown/code-block.tsx'
import { clientKey, snippets } from '../../parts/snippets.ts'
import { sendFirstCall } from './first-call.ts'

/** The call to make, ready to paste, and a button that makes it from here; meanwhile the page waits for its charge. */
export function CallStep({ token, model }: { token: Token; model: string }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const server = clientAddress(useStatus())
  const key = clientKey(token.key)
  const [curl] = snippets({ server, key, model })
  const send = useMutation({
    mutationFn: () => sendFirstCall(key, model),
    meta: { isSaidElsewhere: () => true },
    onSettled: () => client.invalidateQueries({ queryKey: ['first-call'] }),
  })
  return (
    <Stack gap="3">
      <Text>{t('firstSteps.callText')}</Text>
      <CodeBlock label={curl.name} code={curl.code} />
      <FormError error={send.error} />
      <Flex gap="4" align="center" wrap="wrap">
        <BusyButton size="sm" isBusy={send.isPending} onClick={() => send.mutate()}>
          {t('firstSteps.send')}
        </BusyButton>
        <Box css={{ '& a': { color: 'teal.fg', textDecoration: 'underline' } }}>
          <Link to="/token">{t('firstSteps.otherLanguages')}</Link>
        </Box>
      </Flex>
      <Flex as="output" gap="2" align="center" color="fg.muted">
        <Spinner size="xs" />
        <Text>{t('firstSteps.waiting')}</Text>
      </Flex>
    </Stack>
  )
}
