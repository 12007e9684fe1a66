import { useState } from 'react'
import * as z from 'zod/mini'
import { optionalText } from '#contract/fields.ts'
import { countries, country, needsPostalCode, vatId } from '#contract/selling/billing.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'

export const placeForm = { country, postalCode: optionalText(20), vatId: z.optional(vatId) }

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

export type PlaceValues = { country?: string | undefined; postalCode?: string | undefined; vatId?: string | undefined }

export function useNeedsBillingLocation() {
  return useSettings().tax.mode === 'stripe'
}

/** Shown only in shops whose tax Stripe computes. */
export function PlaceFields() {
  const [countryCode, setCountryCode] = useState('')
  const [isCompany, setIsCompany] = useState(false)
  return (
    <>
      <Field
        name="country"
        label="Country"
        hint="The price stays the same; the tax inside it depends on where you live."
      >
        <Select
          required
          autoComplete="country"
          value={countryCode}
          onChange={(event) => setCountryCode(event.target.value)}
        >
          <option value="" disabled>
            Choose your country
          </option>
          {countries.map((code) => (
            <option key={code} value={code}>
              {countryNames.of(code)}
            </option>
          ))}
        </Select>
      </Field>
      {needsPostalCode(countryCode) && (
        <Field name="postalCode" label="Postal code">
          <Input required maxLength={20} autoComplete="postal-code" />
        </Field>
      )}
      <label className="flex cursor-pointer items-center gap-3 text-sm">
        <input
          type="checkbox"
          onChange={(event) => setIsCompany(event.target.checked)}
          className="size-5 cursor-pointer accent-accent"
        />
        I’m buying for a company with a VAT ID
      </label>
      {isCompany && (
        <Field name="vatId" label="VAT ID" hint="Like DE123456789. You then account for the VAT yourself.">
          <Input maxLength={24} autoComplete="off" />
        </Field>
      )}
    </>
  )
}
