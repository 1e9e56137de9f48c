# orderctl: completion for PowerShell. `orderctl completion powershell` prints it.
# Nothing that is typed or offered is evaluated: words are read from the syntax tree, and quoted before they are inserted.

Register-ArgumentCompleter -Native -CommandName orderctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $program = Get-Command -Name orderctl -CommandType Application, ExternalScript -ErrorAction SilentlyContinue |
        Select-Object -First 1
    if ($null -eq $program) { return '' }

    $words = @(
        $commandAst.CommandElements | Select-Object -Skip 1 |
            Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
            ForEach-Object {
                if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
                else { $_.Extent.Text }
            }
    )
    $typed = $wordToComplete -replace '^[''"]', '' -replace '[''"]$', ''
    $word = $typed
    # Before 7.3, an empty argument is left out unless it is quoted again.
    if ($word -eq '' -and ($null -eq $PSNativeCommandArgumentPassing -or $PSNativeCommandArgumentPassing -eq 'Legacy')) {
        $word = '""'
    }

    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new()
        $lines = @(& $program '__complete' '--' @words $word 2>$null)
    }
    catch { $lines = @() }
    finally { [Console]::OutputEncoding = $encoding }
    if ($lines.Count -eq 0) { return '' }

    # What the last line says: how it goes on from there. Where nothing is returned, PowerShell offers files.
    $then = $lines[-1]
    if ($then -eq ':files' -and $lines.Count -eq 1) { return }
    if ($then -eq ':command') {
        if ($words[-1] -ne '--') { return }
        return [System.Management.Automation.CompletionCompleters]::CompleteCommand($typed)
    }
    if ($lines.Count -eq 1) { return '' }

    $lines | Select-Object -SkipLast 1 | ForEach-Object {
        $value, $description = $_ -split "`t", 2
        if (-not $description) { $description = $value }
        # PowerShell takes typographic quotes for quotes as well.
        $text = if ($value -match '^[A-Za-z0-9_./:=+-]+$') { $value }
        else { "'" + ($value -replace '[''\u2018\u2019\u201a\u201b]', '$0$0') + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    }
    # Both what is offered and files.
    if ($then -eq ':files') { [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed) }
}
