import type { ComponentProps } from 'react'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { Button } from '#web/ui/button.tsx'
import { type Question, runIfConfirmed } from '#web/ui/confirm.tsx'
import { useCall } from './use-call.ts'

type Props<E extends Endpoint> = ComponentProps<typeof Button> & {
  call: E
  input: InputOf<E>
  options: Parameters<typeof useCall<E>>[1]
  question?: Question
}

export function CallButton<E extends Endpoint>({ call, input, options, question, ...button }: Props<E>) {
  const { mutate, isPending } = useCall(call, options)
  const sendCall = () => mutate(input)
  return (
    <Button
      pending={isPending}
      onClick={() => (question ? runIfConfirmed(question, sendCall) : sendCall())}
      {...button}
    />
  )
}
