import { Box, Flex, Heading } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { FIRST_CALL_PROGRAM, firstCall } from '../../core/first-call.ts'
import { clientAddress } from '../../core/last-status.ts'
import { useStatus } from '../../core/status.ts'
import { CodeBlock } from '../../parts/markdown/code-block.tsx'
import { Id } from '../../parts/id.tsx'
import { Panel } from '../../parts/page.tsx'

/** The address that clients call and the smallest call that works. */
export function ConnectCard() {
  const { t } = useTranslation()
  const server = clientAddress(useStatus())
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="2">
        {t('home.connect')}
      </Heading>
      <Flex gap="2" mb="3" wrap="wrap" align="baseline">
        <Box color="fg.muted">{t('home.baseUrl')}</Box>
        <Id value={`${server}/v1`} label={t('home.copyBaseUrl')} />
      </Flex>
      <CodeBlock label={FIRST_CALL_PROGRAM} code={firstCall(server)} />
    </Panel>
  )
}
