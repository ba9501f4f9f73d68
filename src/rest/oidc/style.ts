/**
 * The style that apps should use in an EHR without one of its own
 * (https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html#styling).
 */
export const STYLE = {
  color_background: '#ffffff',
  color_error: '#b3261e',
  color_highlight: '#0b57a4',
  color_modal_backdrop: 'rgba(0, 0, 0, 0.5)',
  color_success: '#1b6e37',
  color_text: '#1b1b1b',
  dim_border_radius: '4px',
  dim_font_size: '16px',
  dim_spacing_size: '16px',
  font_family_body: 'system-ui, sans-serif',
  font_family_heading: 'system-ui, sans-serif',
} as const;
