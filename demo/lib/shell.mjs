// What every page has around its own part: head, navigation, foot. Put in when the pages are built.

const demos = [
  ["two-guesses", "Two guesses"],
  ["which-section", "Which section?"],
  ["race", "Race"],
];

/** Nothing is fetched from elsewhere, and the browser sees to it; the plots need styles of their own. */
const policy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
].join("; ");

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Ccircle cx='16' cy='16' r='12' " +
  "fill='none' stroke='%232563c9' stroke-width='5' stroke-dasharray='42 34'/%3E%3Ccircle cx='16' cy='16' r='4' fill='%23c2570c'/%3E%3C/svg%3E";

const head = `
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="${icon}" />
    <link rel="stylesheet" href="./lib/style.css" />`;

const link = (page, title, current) =>
  `<a href="./${page}.html"${page === current ? ' aria-current="page"' : ""}>${title}</a>`;

const header = (current) => `
    <a class="skip" href="#main">To the demo</a>
    <header class="site">
      <nav aria-label="Demos">
        ${link("index", "topk-sdca", current)}
        ${demos.map(([page, title]) => link(page, title, current)).join("\n        ")}
      </nav>
    </header>`;

const footer = `
    <footer class="site">
      <p>
        Everything runs in this tab; nothing is sent, and nothing is fetched from elsewhere. topk-sdca trains classifiers in WebAssembly, each with a proof
        of how close to the best possible it is. MIT licensed.
      </p>
    </footer>`;

/** The page with its shell in the places marked <!-- head -->, <!-- header --> and <!-- footer -->. */
export function shell(html, { path }) {
  const current = /([\w-]+)\.html$/.exec(path)[1];
  return html
    .replace("<!-- head -->", head)
    .replace("<!-- header -->", header(current))
    .replace("<!-- footer -->", footer);
}
