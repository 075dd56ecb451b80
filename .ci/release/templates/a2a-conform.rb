class A2aConform < Formula
  desc "{{.Summary}}"
  homepage "{{.Repository}}"
  version "{{.Version}}"
  license "{{.License}}"
{{range .Archives}}
  on_{{.System}} do
    on_{{.Processor}} do
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
    end
  end
{{end}}
  def install
    bin.install "a2a-conform", "a2a-conform-fleet"
    doc.install "LICENSE", "NOTICE"
    generate_completions_from_executable(bin/"a2a-conform", "completion")
  end

  test do
    assert_match "a2a-conform v#{version}", shell_output("#{bin}/a2a-conform version")
    system bin/"a2a-conform", "run", "--self", "--dialect", "core-schema", "--quiet"
  end
end
