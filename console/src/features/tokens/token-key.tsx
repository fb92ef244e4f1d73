import { chakra, Flex } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../parts/copy-button.tsx'
import { clientKey } from '../../parts/snippets.ts'

/** A key with its middle hidden, as it stands where others may look on. */
export function maskedKey(value: string): string {
  const key = clientKey(value)
  return `${key.slice(0, 7)}••••${key.slice(-4)}`
}

/** The key, masked until clicked; copying works without showing it. */
export function TokenKey(props: {
  value: string
  name: string
  /** For a token that was just made. */
  isShownAtFirst?: boolean
}) {
  const { t } = useTranslation()
  const { value, name } = props
  const [isShown, setShown] = useState(props.isShownAtFirst ?? false)
  return (
    <Flex align="center" gap="0.5">
      <chakra.button
        type="button"
        fontFamily="mono"
        fontSize="xs"
        textAlign="start"
        cursor="pointer"
        whiteSpace={isShown ? 'normal' : 'nowrap'}
        overflowWrap="anywhere"
        minW="0"
        aria-label={isShown ? t('tokens.hideKey', { name }) : t('tokens.showKey', { name })}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? clientKey(value) : maskedKey(value)}
      </chakra.button>
      <CopyButton text={clientKey(value)} label={t('tokens.copyKey', { name })} />
    </Flex>
  )
}
