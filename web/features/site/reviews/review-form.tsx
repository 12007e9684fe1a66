import { use, useState } from 'react'
import { newReview, reviews } from '#contract/site/reviews.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { Card } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/form.tsx'
import { FieldContext, Input, Textarea } from '#web/ui/input.tsx'
import { Stars } from './stars.tsx'

export function ReviewForm({ name }: { name: string }) {
  const [stars, setStars] = useState<number | undefined>()
  const [showsPayingSince, setShowsPayingSince] = useState(false)
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      <h2 className="text-xl">What do you think of it?</h2>
      <CallForm
        call={reviews.write}
        schema={newReview}
        extra={{ stars, showsPayingSince }}
        label="Your review"
        options={{
          refreshes: [reviews.list, reviews.mine],
          succeeded: { title: 'Review published', description: 'Thank you for telling others.' },
          failed: 'Failed to publish the review',
        }}
        button={{ pendingText: 'Publishing...', className: 'self-start', children: 'Publish review' }}
      >
        <Field name="stars" label="Stars">
          <StarChoice chosen={stars} onChoose={setStars} />
        </Field>
        <Field
          name="text"
          label="Your review"
          hint="20 to 1,000 characters, without links. It is published as you write it and can’t be changed."
        >
          <Textarea rows={5} maxLength={1000} />
        </Field>
        <Field name="author" label="Name to show" hint="A first name is enough. Everyone can read it.">
          <Input autoComplete="given-name" maxLength={100} defaultValue={name.split(' ')[0]} />
        </Field>
        <div className="flex flex-col gap-1">
          <Checkbox label="Show since when I’ve been paying" checked={showsPayingSince} onTick={setShowsPayingSince} />
          <p className="pl-8 text-sm text-muted">The month only. It disappears when your subscription ends.</p>
        </div>
      </CallForm>
    </Card>
  )
}

/** The group takes the attributes of the field, so that an error moves the focus to it and is read out. */
function StarChoice({ chosen, onChoose }: { chosen: number | undefined; onChoose: (stars: number) => void }) {
  const field = use(FieldContext)
  return (
    <div
      role="radiogroup"
      id={field?.id}
      aria-label="Stars"
      aria-invalid={field?.['aria-invalid']}
      aria-describedby={field?.['aria-describedby']}
      tabIndex={-1}
      className="flex flex-wrap gap-2"
    >
      {[1, 2, 3, 4, 5].map((value) => (
        <label
          key={value}
          className="flex min-h-11 cursor-pointer items-center gap-2 rounded-md border border-line px-3 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="stars"
            value={value}
            checked={chosen === value}
            onChange={() => onChoose(value)}
            className="sr-only"
          />
          <Stars value={value} />
        </label>
      ))}
    </div>
  )
}
