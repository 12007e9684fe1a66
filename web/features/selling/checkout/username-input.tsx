import { Fragment, useEffect, useRef, useState } from 'react'
import { access } from '#contract/access/access.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { call } from '#web/api/client.ts'
import { Input } from '#web/ui/input.tsx'

type Answer = OutputOf<typeof access.checkUsername>

/** Pause in typing after which the username is looked up; the server allows 10 lookups a minute. */
const pauseMs = 1200

/** Input that looks up a TradingView username after a pause and on blur; it never blocks the form. */
export function UsernameInput({ defaultValue = '' }: { defaultValue?: string | undefined }) {
  const input = useRef<HTMLInputElement>(null)
  const [checked, setChecked] = useState<{ typed: string; answer: Answer | null }>({ typed: '', answer: null })

  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(pause.current), [])

  async function check(typed: string) {
    clearTimeout(pause.current)
    if (typed === checked.typed) return
    setChecked({ typed, answer: null })
    if (typed === '') return
    const answer = await call(access.checkUsername, { username: typed }).catch(() => null)
    if (input.current?.value.trim() === typed) setChecked({ typed, answer })
  }

  function take(name: string) {
    if (input.current) input.current.value = name
    void check(name)
  }

  return (
    <>
      <Input
        ref={input}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        defaultValue={defaultValue}
        onChange={(event) => {
          const typed = event.target.value.trim()
          clearTimeout(pause.current)
          pause.current = setTimeout(() => void check(typed), pauseMs)
        }}
        onBlur={(event) => void check(event.target.value.trim())}
      />
      <p role="status" className="text-sm empty:hidden">
        <Verdict {...checked} take={take} />
      </p>
    </>
  )
}

function Verdict({ typed, answer, take }: { typed: string; answer: Answer | null; take: (name: string) => void }) {
  if (!answer) return null
  if (answer.refusal) return <span className="text-warning">{answer.refusal}</span>
  if (answer.found) return <span className="text-accent-strong">Found on TradingView: {answer.username}</span>
  if (answer.found === null) return null
  return (
    <span className="text-warning">
      We can’t find <strong>{typed}</strong> on TradingView.
      {answer.similar.length > 0 && (
        <>
          {' '}
          Did you mean{' '}
          {answer.similar.map((name, index) => (
            <Fragment key={name}>
              {index > 0 && ' or '}
              <button
                type="button"
                onClick={() => take(name)}
                className="cursor-pointer font-medium underline underline-offset-2"
              >
                {name}
              </button>
            </Fragment>
          ))}
          ?
        </>
      )}
    </span>
  )
}
