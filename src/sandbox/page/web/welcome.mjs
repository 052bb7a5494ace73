// @ts-check
import { openDialog } from './focus.mjs';
import { Receive } from './forms.mjs';
import { html } from './htm.mjs';
import { Code } from './parts.mjs';
import { state } from './state.mjs';

// What stands in the place of an empty list: how to fill it.

export function NothingSent() {
  const { cli, curl } = state.service.examples;
  return html`<section id="welcome" aria-label="How to send the first message">
    <h2>Nothing was sent yet</h2>
    <p>Every message that a program sends to this sandbox appears here at once. The sandbox sends nothing to anyone.</p>
    <${Code} title="From a terminal" text=${cli} />
    <${Code} title="From any language, as SOAP 1.1" text=${curl} />
    <p>The <a href="/soap/v1.asmx?wsdl">WSDL</a> and the <a href="/soap/v1.asmx">list of operations</a> describe the rest.
      Tests control the sandbox over HTTP under <a href="/sandbox"><code>/sandbox</code></a>.</p>
  </section>`;
}

export function NothingReceived() {
  return html`<section id="welcome" aria-label="How to receive the first message">
    <h2>Nothing was received yet</h2>
    <p>Put a message in, as if a phone had sent it to one of your lines. A program gets it with ReceiveByApikey.</p>
    <p><button type="button" class="main" onClick=${() => openDialog(Receive)}>Receive a message</button></p>
    <${Code} title="From any language" text=${state.service.examples.receive} />
  </section>`;
}
